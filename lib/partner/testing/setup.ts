import { inject } from "vitest";
import { provideTestDatabase } from "../../kit/testing/test-database.ts";

await provideTestDatabase(inject("postgresUrl"), "PARTNER_DATABASE_URL");
