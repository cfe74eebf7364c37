import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrateDatabase } from "../lib/kit/postgres.ts";
import { startTestCluster } from "./test-cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the test cluster's database "postgres"; its superuser may create databases. */
    postgresUrl: string;
  }
}

/** Starts one throw-away cluster for a project's test files, with a migrated template database to copy from. */
export default async function setup(project: TestProject): Promise<() => void> {
  const app = project.name === "partner" ? "partner" : "service";
  const cluster = await startTestCluster(`vitest-${app}`);
  const client = new pg.Client({ connectionString: cluster.url("postgres") });
  await client.connect();
  await client.query("create database template_of_tests");
  await client.end();
  await migrateDatabase(cluster.url("template_of_tests"), `lib/${app}/storage/migrations`);
  project.provide("postgresUrl", cluster.url("postgres"));
  return cluster.stop;
}
