export type Search = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export async function readQuery({ searchParams }: Search): Promise<URLSearchParams> {
  return new URLSearchParams(
    Object.entries(await searchParams).map(([name, value]): [string, string] => [name, `${value ?? ""}`]),
  );
}
