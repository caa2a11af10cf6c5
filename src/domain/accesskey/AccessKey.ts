import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { withExample } from "../field/Example.ts"
import { resourceFields, Timestamp } from "../field/Resource.ts"
import { secretText } from "../field/SecretText.ts"
import * as Text from "../field/Text.ts"
import { AccessKeyId } from "../shared/Id.ts"
import { Instant } from "../shared/Instant.ts"
import { Problem } from "../shared/Problem.ts"
import { tokenPattern } from "../shared/TokenForm.ts"
import { issuedKey, ownedKey, ownKey } from "./AccessKeyExamples.ts"

/** What every access key starts with, so that people and programs that look for leaked secrets know it. */
export const keyPrefix = "fpk_"

/** What the access keys of bots start with. */
export const botKeyPrefix = "fbk_"

const keyForm = new RegExp(`^(?:${keyPrefix}|${botKeyPrefix})${tokenPattern}$`)

/** Whether a bearer token has the form of an access key. */
export const isAccessKey = (token: string): boolean => keyForm.test(token)

/** Keys of an account, with those that were revoked: its list has all of them. */
export const keysMax = 50

/** Keys in one answer of the list of all. */
export const listedMax = 500

const fields = {
  id: AccessKeyId,
  ...resourceFields,
  name: Schema.String.annotate({ description: "What its owner calls it" }),
  enabled: Schema.Boolean.annotate({ description: "False once it was revoked" }),
  expires_at: Schema.optionalKey(Timestamp).annotateKey({
    description: "From when on it does not work; absent if it works until it is revoked"
  })
}

/** A token with which programs act for an account, as it is shown after it was issued. */
export const AccessKey = Schema.Struct(fields)
  .annotate({ identifier: "AccessKey", description: "A token with which programs act for an account" })
  .pipe(withExample(ownKey))
export interface AccessKey extends Schema.Schema.Type<typeof AccessKey> {}

export const AccessKeyIssued = Schema.Struct({
  ...fields,
  secret: secretText("The bearer token. It is shown this once.")
})
  .annotate({ identifier: "AccessKeyIssued", description: "An access key that was just created" })
  .pipe(withExample(issuedKey))
export interface AccessKeyIssued extends Schema.Schema.Type<typeof AccessKeyIssued> {}

export const OwnedAccessKey = Schema.Struct({
  ...fields,
  created_by: ProfileReference.annotateKey({
    description: "The account that created it, and for which it works"
  })
})
  .annotate({ identifier: "OwnedAccessKey", description: "An access key as administrators see it" })
  .pipe(withExample(ownedKey))
export interface OwnedAccessKey extends Schema.Schema.Type<typeof OwnedAccessKey> {}

export const NewAccessKey = Schema.Struct({
  name: Text.visibleLine({ max: 100, description: "What to call it" }),
  expires_at: Schema.optionalKey(Instant).annotateKey({
    description: "From when on it does not work; one in the past makes a key that never works"
  })
})
  .annotate({ identifier: "AccessKeyInitialProps", description: "An access key to create" })
  .pipe(withExample({ name: ownKey.name, expires_at: ownKey.expires_at }))
export interface NewAccessKey extends Schema.Schema.Type<typeof NewAccessKey> {}

export class AccessKeyNotFound extends Problem<AccessKeyNotFound>()("AccessKeyNotFound", {
  status: 404,
  title: "There is no such access key",
  explanation: "No access key has this id, or it belongs to another account.",
  metadata: { access_key_id: Schema.String }
}) {}

export class TooManyAccessKeys extends Problem<TooManyAccessKeys>()("TooManyAccessKeys", {
  status: 409,
  title: "This account has too many access keys",
  explanation: `An account has ${keysMax} access keys at most. Those that no longer work make room for new ones, so revoke one to create another.`,
  metadata: { maximum: Schema.Int }
}) {}
