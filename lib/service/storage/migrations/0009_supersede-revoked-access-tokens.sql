-- Whether a token is revoked is from now on said by its authorization alone. The index of the next migration allows one
-- token per user that is not superseded, and a revoked one that was its user's last would be in the way of a new one.
UPDATE "access_tokens" SET "superseded_at" = "revoked_at" WHERE "revoked_at" IS NOT NULL AND "superseded_at" IS NULL;
