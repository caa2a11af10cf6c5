import { Schema } from "effect"
import { AccountRoleRef } from "../role/Role.ts"
import { AccountId } from "../shared/Id.ts"
import { Timestamp } from "../shared/Resource.ts"

/** An account as others see it beside what it wrote (specification 2.1). */
export const ProfileReference = Schema.Struct({
  id: AccountId,
  joined: Timestamp,
  suspended: Schema.optionalKey(Timestamp),
  handle: Schema.String,
  name: Schema.String,
  signature: Schema.optionalKey(Schema.String),
  roles: Schema.Array(AccountRoleRef)
}).annotate({ identifier: "ProfileReference" })
export interface ProfileReference extends Schema.Schema.Type<typeof ProfileReference> {}
