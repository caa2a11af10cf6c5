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
import { MarkupTooComplex } from "../../domain/thread/Post.ts"
import { accounts } from "../shared/Access.ts"
import { conditional, conditionalHeaders } from "../shared/Conditional.ts"
import { operation } from "../shared/Operation.ts"

export class AccountsApi extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("getOwn", "/", {
      headers: conditionalHeaders,
      success: conditional(Account),
      error: AccountNotFound
    }).pipe(
      operation({
        id: "AccountGet",
        summary: "Read one's own account",
        description: "With what only its owner and staff see.",
        access: accounts
      })
    ),
    HttpApiEndpoint.patch("updateOwn", "/", {
      payload: AccountChanges,
      success: Account,
      error: [AccountNotFound, HandleInvalid, HandleTaken, MarkupTooComplex, SignatureTooLong]
    }).pipe(
      operation({
        id: "AccountUpdate",
        summary: "Change one's own account",
        description: "Absent fields stay as they are; `links`, `meta` and `interests` are replaced.",
        access: accounts
      })
    ),
    HttpApiEndpoint.get("get", "/:account_id", {
      params: { account_id: AccountId.annotateKey({ description: "The account's id" }) },
      success: HttpApiSchema.WithHeaders(Account, { "cache-control": Schema.String }),
      error: [AccountNotFound, Forbidden, AdministratorHidden]
    }).pipe(
      operation({
        id: "AccountView",
        summary: "Read an account",
        description:
          "Holders of VIEW_ACCOUNTS see every account that is no administrator's; administrators see all; everyone sees their own.",
        access: accounts
      })
    )
  )
  .prefix("/accounts")
  .annotateMerge(
    OpenApi.annotations({ title: "accounts", description: "Accounts and what they tell of themselves" })
  ) {}
