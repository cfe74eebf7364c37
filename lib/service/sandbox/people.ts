import { limits } from "../../contract/limits.ts";
import { database } from "../storage/database.ts";
import { listUserIntents, listUsers } from "../storage/people.ts";
import { listVisits } from "../storage/visits.ts";

export type { ListedVisit } from "../storage/visits.ts";

const newestOf = (clientId: string) => ({ clientId, limit: limits.pageSizeMax });

export const readUserIntents = (clientId: string) => listUserIntents(database(), newestOf(clientId));

export const readUsers = (clientId: string) => listUsers(database(), newestOf(clientId));

export const readVisits = (clientId: string) => listVisits(database(), newestOf(clientId));
