import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: ["./lib/service/storage/schema.ts", "./lib/service/sandbox/storage/schema.ts"],
  out: "./lib/service/storage/migrations",
});
