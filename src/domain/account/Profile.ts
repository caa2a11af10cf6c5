import { Schema } from "effect"
import { Timestamp } from "../field/Resource.ts"
import { AccountRoleRef } from "../role/Role.ts"
import { AccountId } from "../shared/Id.ts"

/** What an account is called, wherever it is shown. */
export const namingFields = {
  id: AccountId,
  joined: Timestamp.annotateKey({ description: "When the account was created" }),
  suspended: Schema.optionalKey(Timestamp).annotateKey({
    description: "When the account was suspended; absent if it is not"
  }),
  handle: Schema.String.annotate({ description: "The unique name in addresses and at sign-in" }),
  name: Schema.String.annotate({ description: "The name that is shown" }),
  signature: Schema.optionalKey(Schema.String.annotate({ description: "Sanitised HTML in a body element" }))
}

/** An account as it is shown beside its posts. */
export const ProfileReference = Schema.Struct({
  ...namingFields,
  roles: Schema.Array(AccountRoleRef).annotate({ description: "Highest first" })
}).annotate({
  identifier: "ProfileReference",
  description: "An account as it is shown beside its posts"
})
export interface ProfileReference extends Schema.Schema.Type<typeof ProfileReference> {}
