import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  Account,
  AccountKind,
  AccountNotFound,
  AdministratorProtected,
  HandleInvalid,
  HandleTaken,
  ProfileTextTooLong,
  SignatureTooLong
} from "../../domain/account/Account.ts"
import { AccountListResult, AccountSearchText } from "../../domain/account/AccountList.ts"
import { filterMax, selectedMax } from "../../domain/account/AccountListing.ts"
import { EmailAddressTaken } from "../../domain/account/Email.ts"
import { ManagedChanges, ManagedNewAccount } from "../../domain/account/ManagedAccount.ts"
import { accountAuthServices } from "../../domain/authentication/AuthProvider.ts"
import * as Text from "../../domain/field/Text.ts"
import { LastAdministrator, OwnAdminRole } from "../../domain/role/RoleRefusal.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { MarkupTooComplex, SanitiserUnavailable, SearchTookTooLong } from "../../domain/text/TextProblem.ts"
import { membersWith } from "../contract/AccessPolicies.ts"
import { CacheControl } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"
import { accountFilters } from "./AccountFilters.ts"

const AccountAuthService = Schema.Literals(accountAuthServices).annotate({
  identifier: "AccountAuthService",
  description: "A way to sign in, such as `password`"
})

const Changed = HttpApiSchema.WithHeaders(Account, { "cache-control": CacheControl })

const textProblems = [
  HandleInvalid,
  HandleTaken,
  MarkupTooComplex,
  ProfileTextTooLong,
  SanitiserUnavailable,
  SignatureTooLong
] as const

const flag = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))

export class AccountAdministrationApi extends HttpApiGroup.make("accountAdministration")
  .add(
    HttpApiEndpoint.get("list", "/admin/accounts", {
      query: {
        ...pagedQuery,
        q: Schema.optionalKey(AccountSearchText),
        sort: Schema.optionalKey(
          Text.term({
            max: 255,
            description:
              "`created_at`, `updated_at`, `name` or `handle`, in descending order with `-` before it. Anything else means the newest first. Of accounts of one instant or one name, the newest is first.",
            examples: ["-created_at"]
          })
        ),
        ...accountFilters,
        suspended: flag("Accounts that are suspended, or those that are not"),
        admin: flag("Accounts that hold the built-in Admin role, or those that do not"),
        kind: Schema.optionalKey(AccountKind).annotateKey({
          description: "Accounts that people use, or programs"
        }),
        auth_service: Schema.optionalKey(
          Schema.Array(AccountAuthService).check(Schema.isMaxLength(filterMax)).annotate({
            description: "Accounts that can sign in in any of these ways, as `auth_services` shows"
          })
        )
      },
      success: AccountListResult,
      error: [SearchTookTooLong, CursorMismatch]
    }).pipe(
      operation({
        id: "AccountList",
        cost: "quick",
        heavyWith: ["q", "roles", "invited_by"],
        summary: "List all accounts",
        description: `Also suspended ones, bots and administrators; 50 on a page. What narrows the list is combined. Of accounts that \`q\`, \`roles\` or \`invited_by\` select, the first ${selectedMax.toLocaleString("en")} are counted and shown.`,
        access: membersWith("VIEW_ACCOUNTS")
      })
    ),
    HttpApiEndpoint.post("create", "/accounts", {
      payload: ManagedNewAccount,
      success: Changed,
      error: [...textProblems, EmailAddressTaken, Forbidden]
    }).pipe(
      operation({
        id: "AccountManageCreate",
        cost: "write",
        summary: "Make an account for somebody",
        description:
          "The account cannot sign in until it is given a way to. It needs no invitation, whoever may register. Only administrators may make administrators.",
        access: membersWith("MANAGE_ACCOUNTS")
      })
    ),
    HttpApiEndpoint.patch("update", "/accounts/:account_id", {
      params: { account_id: AccountId.annotateKey({ description: "The id of the account" }) },
      payload: ManagedChanges,
      success: Changed,
      error: [
        ...textProblems,
        AccountNotFound,
        AdministratorProtected,
        Forbidden,
        LastAdministrator,
        OwnAdminRole
      ]
    }).pipe(
      operation({
        id: "AccountManageUpdate",
        cost: "write",
        summary: "Change an account",
        description:
          "Absent fields stay as they are; `links`, `meta` and `interests` are replaced. Only administrators may send `admin`, and change administrators. `verified_status` is set as it is sent; email addresses stay as they are.",
        access: membersWith("MANAGE_ACCOUNTS")
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "account administration",
      description: "Listing, making and changing accounts, for staff"
    })
  ) {}
