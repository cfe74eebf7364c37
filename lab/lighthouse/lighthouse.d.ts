// Minimal types of Lighthouse, which only `npm run lighthouse` installs.

declare module "lighthouse" {
  type Audit = { title: string; score: number | null; displayValue?: string; numericValue?: number };
  type Category = { title: string; score: number | null; auditRefs: { id: string; weight: number }[] };
  type Report = { categories: Record<string, Category>; audits: Record<string, Audit> };
  type Flags = { port: number; output: "json"; onlyCategories: string[]; logLevel: "error" };

  export default function lighthouse(address: string, flags: Flags): Promise<{ lhr: Report } | undefined>;
}
