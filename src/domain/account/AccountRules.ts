/** What accounts are, as rules ask it. Pure. */
import type { Account } from "./Account.ts"
import type { ProfileReference } from "./Profile.ts"

/** Whether an account holds ADMINISTRATOR through any of its roles. */
export const isAdministrator = (account: Account): boolean =>
  account.roles.some((role) => role.permissions.includes("ADMINISTRATOR"))

/** The account as it is named beside what it did. */
export const briefReferenceOf = ({
  handle,
  id,
  joined,
  name,
  roles,
  suspended
}: Account): ProfileReference => ({
  id,
  joined,
  ...(suspended === undefined ? {} : { suspended }),
  handle,
  name,
  roles: roles.map(({ badge, colour, default: builtIn, id, meta, name }) => ({
    id,
    name,
    colour,
    ...(meta === undefined ? {} : { meta }),
    badge,
    default: builtIn
  }))
})
