import type * as z from "zod/mini";
import type { ChangeEnvelope } from "../../../contract/operator.ts";
import {
  type AppliedChange,
  type ChangeOrigin,
  type ChangeRefusal,
  type ClientChangeOperation,
  changeClient,
} from "./audited-change.ts";
import { changeBusiness } from "./change-business.ts";
import { changeRedirects, changeTrusted, changeWebhook, disableClient, enableClient } from "./change-settings.ts";
import { decideByHand } from "./decide-by-hand.ts";
import { fundClient, reverseFunding } from "./fund-client.ts";
import { redeliverWebhooks } from "./redeliver-webhooks.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { viewPhotoId } from "./view-photo-id.ts";

/** A change by name; `read` parses the body or throws. */
export type NamedClientChange = {
  action: string;
  request: (
    origin: ChangeOrigin,
    read: <Body extends z.ZodMiniType<ChangeEnvelope>>(body: Body) => z.output<Body>,
  ) => Promise<AppliedChange | ChangeRefusal>;
};

export const clientChanges: readonly NamedClientChange[] = [
  named(rotateSecret),
  named(changeRedirects),
  named(changeWebhook),
  named(changeTrusted),
  named(changeBusiness),
  named(fundClient),
  named(reverseFunding),
  named(decideByHand),
  named(viewPhotoId),
  named(redeliverWebhooks),
  named(enableClient),
  named(disableClient),
];

function named<Body extends z.ZodMiniType<ChangeEnvelope>>(change: ClientChangeOperation<Body>): NamedClientChange {
  return { action: change.action, request: (origin, read) => changeClient(change, origin, read(change.body)) };
}
