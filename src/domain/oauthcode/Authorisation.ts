/** What people are asked to grant a client that sent them here (RFC 6749, 4.1; RFC 7636). */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { consent, consentDecision, consentResult } from "./AuthorisationExamples.ts"

/** Minutes for which a question stays open. */
export const requestMinutes = 10

/** Characters of what clients send to know their answer by. */
export const stateMax = 2048
export const nonceMax = 512

export const Decision = Schema.Literals(["approve", "deny"]).annotate({
  identifier: "OAuthConsentDecision",
  description: "What the person has decided"
})
export type Decision = typeof Decision.Type

const scopes = (description: string) => Schema.Array(Schema.String).annotate({ description })

export const OAuthAuthoriseConsent = Schema.Struct({
  request_id: Schema.String.annotate({ description: "What the decision names the question by" }),
  client_id: Schema.String.annotate({ description: "The id by which the client names itself" }),
  client_name: Schema.String.annotate({ description: "What the client is called" }),
  redirect_uri: Schema.String.annotate({ format: "uri", description: "Where the person goes afterwards" }),
  expires_at: Timestamp.annotateKey({ description: "Until when it can be decided" }),
  requested_scopes: scopes("What the client asks for"),
  granted_scopes: scopes("What it would get, as the roles of the account are now"),
  inherits_user_permissions: Schema.Boolean.annotate({
    description: "Whether the client would get all permissions of the account, as it names none"
  })
})
  .annotate({ identifier: "OAuthAuthoriseConsent", description: "What somebody is asked to grant" })
  .pipe(withExample(consent))
export interface OAuthAuthoriseConsent extends Schema.Schema.Type<typeof OAuthAuthoriseConsent> {}

export const OAuthAuthoriseConsentSubmitProps = Schema.Struct({
  request_id: Text.verbatim({ max: 512, description: "The id of the question" }),
  decision: Decision
})
  .annotate({ identifier: "OAuthAuthoriseConsentSubmitProps", description: "What the person has decided" })
  .pipe(withExample(consentDecision))

export const OAuthAuthoriseConsentResult = Schema.Struct({
  status: Schema.Literals(["approved", "denied"]).annotate({ description: "What was decided" }),
  location: Schema.String.annotate({ format: "uri", description: "Where the browser goes now" })
})
  .annotate({
    identifier: "OAuthAuthoriseConsentResult",
    description: "Where the person goes after the decision"
  })
  .pipe(withExample(consentResult))
