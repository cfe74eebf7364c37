import type { TestProject } from "vitest/node";
import { sharedClusterSetting, startTemplateCluster } from "./test-cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the test cluster's database "postgres"; its superuser can create databases. */
    postgresUrl: string;
  }
}

/** Gives a project's test files a throwaway cluster with a migrated template database, or a shared one. */
export default async function setup(project: TestProject): Promise<() => void> {
  const app = project.name === "partner" ? "partner" : "service";
  const shared = process.env[sharedClusterSetting(app)];
  if (shared) {
    project.provide("postgresUrl", shared);
    return () => undefined;
  }
  const cluster = await startTemplateCluster(app, "vitest");
  project.provide("postgresUrl", cluster.url);
  return cluster.stop;
}
