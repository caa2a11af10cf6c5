import { Permission } from "../shared/Permission.ts"
import { Problem } from "../shared/Problem.ts"

export class AccountStronger extends Problem<AccountStronger>()("AccountStronger", {
  status: 403,
  title: "This account may do more than yours",
  explanation:
    "Whoever can change how an account signs in can sign in to it. So the caller has to hold every permission that the account holds through its roles; `permission` is one that is missing.",
  metadata: { permission: Permission }
}) {}
