import { expect, test } from "vitest";
import { describeOptions, readServiceOptions } from "./service-options.ts";

const list =
  "the options are --port, --host, --public-url, --data, --client-id, --client-secret, --client-name, --redirect-uri, --webhook-url, --customers-url, --trusted-authentication.";

test("an option's value follows a space or an equals sign, and may contain one", () => {
  const words = ["--port", "4010", "--data=/tmp/books", "--webhook-url=http://localhost:5000/hooks?a=b"];
  expect(readServiceOptions(words)).toEqual({
    port: "4010",
    data: "/tmp/books",
    "webhook-url": "http://localhost:5000/hooks?a=b",
  });
  expect(readServiceOptions([])).toEqual({});
});

test.each([
  ["--prot 4000", "--prot isn't an option"],
  ["4000", "4000 isn't an option"],
  ["-p 4000", "-p isn't an option"],
  ["--toString 1", "--toString isn't an option"],
  ["--port", "--port has no value"],
  ["--port --data x", "--port has no value"],
  ["--port 1 --port 2", "--port appears twice"],
  ["--port http", "--port must be a number from 0 to 65535"],
  ["--port 65536", "--port must be a number from 0 to 65535"],
  ["--port -1", "--port must be a number from 0 to 65535"],
  ["--host everywhere", "--host must be an address of this machine, such as 0.0.0.0"],
  ["--public-url plainbook:4000", "--public-url must be an address like http://localhost:5000, without a path"],
  ["--public-url http://localhost/a", "--public-url must be an address like http://localhost:5000, without a path"],
  ["--public-url ftp://localhost", "--public-url must be an address like http://localhost:5000, without a path"],
  ["--data=", "--data must name a folder"],
  ["--client-id my/app", "--client-id must be 1 to 64 letters, digits, dots, hyphens or underscores"],
  ["--client-secret=", "--client-secret must be printable ASCII without spaces"],
  ["--client-secret=sécret", "--client-secret must be printable ASCII without spaces"],
  ["--client-name=", "--client-name must not be empty"],
  ["--redirect-uri localhost:3000", "--redirect-uri must be an address like http://localhost:3000/path"],
  ["--redirect-uri http://localhost/#a", "--redirect-uri must be an address like http://localhost:3000/path"],
  ["--webhook-url /webhooks", "--webhook-url must be an address like http://localhost:3000/path"],
  ["--customers-url ftp://localhost", "--customers-url must be an address like http://localhost:3000/path"],
])("%s is refused in one sentence that lists the options", (words, problem) => {
  expect(() => readServiceOptions(words.split(" "))).toThrow(new Error(`${problem}; ${list}`));
});

test("each option has its own help line", () => {
  const lines = describeOptions().split("\n");
  expect(lines).toHaveLength(11);
  for (const line of lines) expect(line).toMatch(/^ {2}--[a-z-]+ <[a-z|]+> +\S.{20,}$/);
});
