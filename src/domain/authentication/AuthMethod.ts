/** The ways in which an account can sign in. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import { Problem } from "../shared/Problem.ts"
import { methods, providers } from "./AuthExamples.ts"
import { AuthProvider, AuthProviderList } from "./AuthProvider.ts"

export const AccountAuthMethod = Schema.Struct({
  id: Schema.String,
  created_at: Timestamp,
  name: Schema.String.annotate({ description: "What tells it apart from others of the account" }),
  identifier: Schema.String.annotate({
    description:
      "Of a password the id of the account, of a passkey the id of its credential, of an account elsewhere its id there, else the address or the phone number"
  }),
  provider: AuthProvider
}).annotate({ identifier: "AccountAuthMethod", description: "A way in which an account can sign in" })
export interface AccountAuthMethod extends Schema.Schema.Type<typeof AccountAuthMethod> {}

export const AccountAuthMethods = Schema.Struct({
  active: Schema.Array(AccountAuthMethod).annotate({
    description: "Those that the account has, oldest first"
  }),
  available: AuthProviderList.annotate({ description: "Those that the instance offers" })
})
  .annotate({ identifier: "AccountAuthMethods", description: "The ways in which an account can sign in" })
  .pipe(withExample({ active: methods, available: providers }))
export interface AccountAuthMethods extends Schema.Schema.Type<typeof AccountAuthMethods> {}

export class LastAuthMethod extends Problem<LastAuthMethod>()("LastAuthMethod", {
  status: 400,
  title: "This is the only way to sign in that the account has",
  explanation:
    "Without it nobody could sign in to the account any more. Add another way that the instance offers first. Access keys do not count: they are for programs."
}) {}
