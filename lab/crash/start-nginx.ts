import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export type Nginx = { stop: () => Promise<void> };

type Ports = { tlsPort: number; apiPorts: string[] };

/** Runs docs/proxies/nginx.conf with these ports, its own certificate, and no other upstreams. */
export async function startNginx(program: string, { tlsPort, apiPorts }: Ports): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), "gangway-nginx-"));
  const [key, certificate, settings] = ["gangway.key", "gangway.pem", "nginx.conf"].map((name) => join(folder, name));
  const subject = ["-subj", "/CN=plainbook.example", "-addext", "subjectAltName=DNS:plainbook.example"];
  const selfSigned = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", ...subject];
  execFileSync("openssl", [...selfSigned, "-keyout", `${key}`, "-out", `${certificate}`], { stdio: "ignore" });

  let http = readFileSync("docs/proxies/nginx.conf", "utf8")
    .replace(/server \{\n {2}listen 80;.*?\n\}\n/s, "")
    .replaceAll("listen 443", `listen 127.0.0.1:${tlsPort}`)
    .replaceAll(/\/etc\/ssl|\/var\/log\/nginx/g, folder)
    .replaceAll(/server (?:service-web:4001|partner:3000)/g, "server 127.0.0.1:9");
  for (const [index, port] of apiPorts.entries())
    http = http.replace(`service-api-${index + 1}:4000`, `127.0.0.1:${port}`);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(`${settings}`, `pid ${folder}/pid;\nevents {}\nhttp {\n${paths.join("\n")}\n${http}}\n`);

  const child = spawn(program, ["-c", `${settings}`, "-e", join(folder, "stderr.log"), "-g", "daemon off;"], {
    stdio: "inherit",
  });
  while (!(await answers(tlsPort))) {
    if (child.exitCode !== null) throw new Error(`nginx exited with ${child.exitCode}.`);
    await delay(20);
  }
  return { stop: () => stop(child, folder) };
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGQUIT");
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}
