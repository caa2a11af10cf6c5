import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Account, AccountNotFound } from "../../domain/account/Account.ts"
import * as Text from "../../domain/field/Text.ts"
import { RoleNotFound } from "../../domain/role/Role.ts"
import {
  LastAdministrator,
  OwnAdminRole,
  RoleAlreadyHeld,
  RoleNotAssignable,
  RoleUnknown,
  TooManyRolesHeld
} from "../../domain/role/RoleRefusal.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { accounts, membersWith } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

const params = {
  account_handle: Text.mark({ description: "The handle or the id of the account" }),
  role_id: Text.mark({ description: "The id of the role" })
}

export class AccountRolesApi extends HttpApiGroup.make("accountRoles")
  .add(
    HttpApiEndpoint.put("add", "/:account_handle/roles/:role_id", {
      params,
      success: Account,
      error: [
        AccountNotFound,
        RoleNotFound,
        RoleUnknown,
        RoleNotAssignable,
        RoleAlreadyHeld,
        OwnAdminRole,
        TooManyRolesHeld,
        Forbidden
      ]
    }).pipe(
      operation({
        id: "AccountAddRole",
        cost: "write",
        summary: "Assign a role to an account",
        description:
          "It counts from the next request of the account on. Nobody assigns a role with permissions that they do not hold. The Admin role makes the account an administrator. Answers the account.",
        access: membersWith("MANAGE_ROLES")
      })
    ),
    HttpApiEndpoint.delete("remove", "/:account_handle/roles/:role_id", {
      params,
      success: Account,
      error: [AccountNotFound, RoleNotFound, RoleNotAssignable, OwnAdminRole, LastAdministrator, Forbidden]
    }).pipe(
      operation({
        id: "AccountRemoveRole",
        cost: "write",
        summary: "Take a role from an account",
        description:
          "It counts from the next request of the account on. Nothing happens if the account does not hold the role. A role with ADMINISTRATOR is taken by administrators only. Answers the account.",
        access: membersWith("MANAGE_ROLES")
      })
    ),
    HttpApiEndpoint.put("setBadge", "/:account_handle/roles/:role_id/badge", {
      params,
      success: Account,
      error: [AccountNotFound, RoleNotFound, Forbidden]
    }).pipe(
      operation({
        id: "AccountRoleSetBadge",
        cost: "write",
        summary: "Make a role the badge of an account",
        description:
          "In place of another badge. Only a role that is assigned to the account can be its badge; any other, and a built-in one, leaves it without. Everyone may do this for themselves, and holders of MANAGE_ROLES for all. Answers the account.",
        access: accounts
      })
    ),
    HttpApiEndpoint.delete("removeBadge", "/:account_handle/roles/:role_id/badge", {
      params,
      success: Account,
      error: [AccountNotFound, RoleNotFound, Forbidden]
    }).pipe(
      operation({
        id: "AccountRoleRemoveBadge",
        cost: "write",
        summary: "Take the badge from an account",
        description:
          "Whichever role the badge is; the role stays assigned. Everyone may do this for themselves, and holders of MANAGE_ROLES for all. Answers the account.",
        access: accounts
      })
    )
  )
  .prefix("/accounts")
  .annotateMerge(OpenApi.annotations({ title: "account roles", description: "Who holds which roles" })) {}
