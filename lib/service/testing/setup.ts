import { inject } from "vitest";
import { provideTestDatabase } from "../../kit/testing/test-database.ts";
import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";

await provideTestDatabase(inject("postgresUrl"), "SERVICE_DATABASE_URL");
chooseProviders(sandboxProviders);
