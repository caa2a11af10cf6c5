import { Schema } from "effect"
import { AccountRoleRef } from "../role/Role.ts"
import { AccountId } from "../shared/Id.ts"
import { Timestamp } from "../shared/Resource.ts"

/** An account as others see it beside what it wrote (specification 2.1). */
export const ProfileReference = Schema.Struct({
  id: AccountId,
  joined: Timestamp.annotateKey({ description: "When the account was made" }),
  suspended: Schema.optionalKey(Timestamp).annotateKey({
    description: "Since when it is suspended, if it is"
  }),
  handle: Schema.String.annotate({ description: "The name it is addressed by; unique" }),
  name: Schema.String.annotate({ description: "The name it shows" }),
  signature: Schema.optionalKey(Schema.String.annotate({ description: "Sanitised HTML in a body element" })),
  roles: Schema.Array(AccountRoleRef).annotate({ description: "Highest first" })
}).annotate({
  identifier: "ProfileReference",
  description: "An account as others see it beside what it wrote"
})
export interface ProfileReference extends Schema.Schema.Type<typeof ProfileReference> {}
