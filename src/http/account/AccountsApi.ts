import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  Account,
  AccountChanges,
  AccountNotFound,
  AdministratorHidden,
  HandleInvalid,
  HandleTaken,
  SignatureTooLong
} from "../../domain/account/Account.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { Authentication, accounts } from "../shared/Authentication.ts"
import { conditional, conditionalHeaders } from "../shared/Conditional.ts"
import { operation } from "../shared/Operation.ts"

export class AccountsApi extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("getOwn", "/", {
      headers: conditionalHeaders,
      success: conditional(Account),
      error: AccountNotFound
    })
      .annotateMerge(
        operation("AccountGet", "Read one's own account", "With what only its owner and staff see.")
      )
      .annotateMerge(accounts),
    HttpApiEndpoint.patch("updateOwn", "/", {
      payload: AccountChanges,
      success: Account,
      error: [AccountNotFound, HandleInvalid, HandleTaken, SignatureTooLong]
    })
      .annotateMerge(
        operation(
          "AccountUpdate",
          "Change one's own account",
          "Absent fields stay as they are; `links`, `meta` and `interests` are replaced."
        )
      )
      .annotateMerge(accounts),
    HttpApiEndpoint.get("get", "/:account_id", {
      params: { account_id: AccountId.annotateKey({ description: "The account's id" }) },
      success: HttpApiSchema.WithHeaders(Account, { "cache-control": Schema.String }),
      error: [AccountNotFound, Forbidden, AdministratorHidden]
    })
      .annotateMerge(
        operation(
          "AccountView",
          "Read an account",
          "Holders of VIEW_ACCOUNTS see every account that is no administrator's; administrators see all; everyone sees their own."
        )
      )
      .annotateMerge(accounts)
  )
  .prefix("/accounts")
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({ title: "accounts", description: "Accounts and what they tell of themselves" })
  ) {}
