import { builtIn } from "../../domain/role/Role.ts"

/**
 * An SQL expression for the permissions of a row of accounts, through all roles that it holds, as an array; where
 * there is no such row, or the account acts as a guest, those of the Guest role. A permission occurs in it once for
 * each role that has it.
 */
export const heldPermissions = (account: string, actsAsGuest = "false") => `array(
    select unnest(r.permissions) from (
      select case when ${account}.id is null or ${actsAsGuest} then '${builtIn.guest}' else '${builtIn.member}' end as role_id
      union all select '${builtIn.admin}' where ${account}.admin
      union all select role_id from account_roles where account_id = ${account}.id and not ${actsAsGuest}
    ) held join roles r on r.id = held.role_id
  )`
