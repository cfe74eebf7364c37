import type { FunctionComponent, ReactNode } from "react";
import type { CommonProps } from "#components/console/console-page.tsx";
import type { ConsoleClient } from "#lib/service/sandbox/console/console-session.ts";
import { readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { asConsoleClient } from "./console-client.ts";

export type Search = { searchParams: Promise<Record<string, string | string[] | undefined>> };

type Readings<Props> = {
  [Name in Exclude<keyof Props, keyof CommonProps>]: Promise<Exclude<Props[Name], undefined>> | undefined;
};

/** A page of the signed-in client: its parts from `load`, the newest event, and the query. */
export function consolePage<Props extends object>(
  Page: FunctionComponent<Props>,
  load: (client: ConsoleClient, query: URLSearchParams) => Readings<Props>,
): (search: Search) => Promise<ReactNode> {
  return async (search) => {
    const query = await readQuery(search);
    const parts = await asConsoleClient((client) =>
      readParts({ ...load(client, query), lastEvent: readLastEvent(client) }),
    );
    return <Page {...({ ...parts, query } as Props & CommonProps)} />;
  };
}

export async function readQuery({ searchParams }: Search): Promise<URLSearchParams> {
  return new URLSearchParams(
    Object.entries(await searchParams).map(([name, value]): [string, string] => [name, `${value ?? ""}`]),
  );
}
