/** What accounts are, as rules ask it. Pure. */
import type { Account } from "./Account.ts"

/** Whether an account holds ADMINISTRATOR through any of its roles. */
export const isAdministrator = (account: Account): boolean =>
  account.roles.some((role) => role.permissions.includes("ADMINISTRATOR"))
