/** What people are shown and decide who are asked to grant something to a client, whichever way it asks. */
import { DateTime, Schema } from "effect"
import { Timestamp } from "../field/Resource.ts"
import { decideConsent, type Held, inheritsPermissions, type ScopedClient } from "../oauthclient/Scopes.ts"
import type { Scope } from "../vocabulary/Scope.ts"

export const Decision = Schema.Literals(["approve", "deny"])
export type Decision = typeof Decision.Type

export const Decided = Schema.Literals(["approved", "denied"]).annotate({ description: "What was decided" })

const scopes = (description: string) =>
  Schema.Array(Schema.String.annotate({ description: "A scope" })).annotate({ description })

/** What is shown of the client and of what it asks for. */
export const consentFields = {
  client_id: Schema.String.annotate({ description: "The id by which the client names itself" }),
  client_name: Schema.String.annotate({ description: "What the client is called" }),
  expires_at: Timestamp.annotateKey({ description: "Until when it can be decided" }),
  requested_scopes: scopes("What the client asks for"),
  granted_scopes: scopes("What it would get, as the roles of the account are now"),
  inherits_user_permissions: Schema.Boolean.annotate({
    description: "Whether the client would get all permissions of the account, as it names none"
  })
}
export interface Consent extends Schema.Struct.Type<typeof consentFields> {}

interface Asking {
  /** The id by which the client names itself. */
  readonly clientId: string
  readonly name: string
  readonly client: ScopedClient
  readonly scopes: ReadonlyArray<Scope>
  readonly expiresAt: DateTime.Utc
}

/** What an account is shown that holds these permissions now. */
export const consentOf = ({ client, clientId, expiresAt, name, scopes }: Asking, held: Held): Consent => ({
  client_id: clientId,
  client_name: name,
  expires_at: Timestamp.make(DateTime.formatIso(expiresAt)),
  requested_scopes: scopes,
  granted_scopes: decideConsent(scopes, client, held),
  inherits_user_permissions: inheritsPermissions(scopes, client)
})
