import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  Account,
  AccountChanges,
  AccountNotFound,
  AdministratorHidden,
  HandleInvalid,
  HandleTaken,
  ProfileTextTooLong,
  SignatureTooLong
} from "../../domain/account/Account.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { MarkupTooComplex, SanitiserUnavailable } from "../../domain/text/TextProblem.ts"
import { accounts } from "../contract/AccessPolicies.ts"
import { conditional, conditionalHeaders } from "../contract/Conditional.ts"
import { CacheControl } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"

export class AccountsApi extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("getOwn", "/", {
      headers: conditionalHeaders,
      success: conditional(Account)
    }).pipe(
      operation({
        id: "AccountGet",
        cost: "quick",
        summary: "Read your account",
        description: "The account of the caller, with the fields that only its owner and staff see.",
        access: accounts
      })
    ),
    HttpApiEndpoint.patch("updateOwn", "/", {
      payload: AccountChanges,
      success: Account,
      error: [
        HandleInvalid,
        HandleTaken,
        MarkupTooComplex,
        ProfileTextTooLong,
        SanitiserUnavailable,
        SignatureTooLong
      ]
    }).pipe(
      operation({
        id: "AccountUpdate",
        cost: "write",
        summary: "Change your account",
        description: "Absent fields stay as they are; `links`, `meta` and `interests` are replaced.",
        access: accounts
      })
    ),
    HttpApiEndpoint.get("get", "/:account_id", {
      params: { account_id: AccountId.annotateKey({ description: "The id of the account" }) },
      success: HttpApiSchema.WithHeaders(Account, { "cache-control": CacheControl }),
      error: [AccountNotFound, Forbidden, AdministratorHidden]
    }).pipe(
      operation({
        id: "AccountView",
        cost: "quick",
        summary: "Read an account",
        description:
          "Everyone may read their own account, administrators every account, and holders of VIEW_ACCOUNTS the accounts of non-administrators.",
        access: accounts
      })
    )
  )
  .prefix("/accounts")
  .annotateMerge(OpenApi.annotations({ title: "accounts", description: "Accounts and their profiles" })) {}
