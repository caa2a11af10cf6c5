/** What people are asked to grant a client that sent them here (RFC 6749, 4.1; RFC 7636). */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { secretText } from "../field/SecretText.ts"
import * as Text from "../field/Text.ts"
import { consentFields, Decided, Decision } from "../oauthgrant/Consent.ts"
import { consent, consentDecision, consentResult } from "./AuthorisationExamples.ts"

/** Minutes for which a question stays open. */
export const requestMinutes = 10

/** Characters of what clients send to know their answer by. */
export const stateMax = 2048
export const nonceMax = 512

const OAuthAuthoriseDecision = Decision.annotate({
  identifier: "OAuthAuthoriseDecision",
  description: "What the person has decided"
})

export const OAuthAuthoriseConsent = Schema.Struct({
  request_id: Schema.String.annotate({ description: "What the decision names the question by" }),
  redirect_uri: Schema.String.annotate({ format: "uri", description: "Where the person goes afterwards" }),
  ...consentFields
})
  .annotate({ identifier: "OAuthAuthoriseConsent", description: "What somebody is asked to grant" })
  .pipe(withExample(consent))
export interface OAuthAuthoriseConsent extends Schema.Schema.Type<typeof OAuthAuthoriseConsent> {}

export const OAuthAuthoriseConsentSubmitProps = Schema.Struct({
  request_id: Text.verbatim({ max: 512, description: "The id of the question" }),
  decision: OAuthAuthoriseDecision
})
  .annotate({ identifier: "OAuthAuthoriseConsentSubmitProps", description: "What the person has decided" })
  .pipe(withExample(consentDecision))

export const OAuthAuthoriseConsentResult = Schema.Struct({
  status: Decided,
  location: secretText("Where the browser goes now").annotate({ format: "uri" })
})
  .annotate({
    identifier: "OAuthAuthoriseConsentResult",
    description: "Where the person goes after the decision"
  })
  .pipe(withExample(consentResult))
