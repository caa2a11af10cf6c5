/** Accounts as staff make and change them. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { AccountChanges, VerifiedStatus } from "./Account.ts"
import { managedChanges, provisioned } from "./AccountExamples.ts"
import { EmailAddressText } from "./Email.ts"

const staffFields = {
  admin: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether the account holds the built-in Admin role; only administrators may say so"
  }),
  verified_status: Schema.optionalKey(VerifiedStatus)
}

const { handle, ...profileFields } = AccountChanges.fields

export const ManagedNewAccount = Schema.Struct({
  ...profileFields,
  ...staffFields,
  handle: handle.schema,
  email_address: Schema.optionalKey(EmailAddressText).annotateKey({
    description: "Stored as not verified; no mail is sent"
  })
})
  .annotate({ identifier: "AccountManageInitialProps", description: "An account to make for somebody" })
  .pipe(withExample(provisioned))
export interface ManagedNewAccount extends Schema.Schema.Type<typeof ManagedNewAccount> {}

export const ManagedChanges = Schema.Struct({ ...AccountChanges.fields, ...staffFields })
  .annotate({
    identifier: "AccountManageMutableProps",
    description: "What to change of an account; absent fields stay as they are"
  })
  .pipe(withExample(managedChanges))
export interface ManagedChanges extends Schema.Schema.Type<typeof ManagedChanges> {}
