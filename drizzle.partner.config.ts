import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: ["./lib/partner/storage/schema.ts", "./lib/partner/inspector/schema.ts"],
  out: "./lib/partner/storage/migrations",
});
