import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccountNotFound } from "../../domain/account/Account.ts"
import { SignInNotRecent } from "../../domain/authentication/OwnerProof.ts"
import {
  AuthenticationBusy,
  PasswordNotSet,
  PasswordWrong,
  TooManyAttempts
} from "../../domain/authentication/Password.ts"
import {
  AskedErasure,
  Erasure,
  ErasureBegun,
  ErasureNotFound,
  ErasureOfSelf,
  OrderedErasure
} from "../../domain/erasure/Erasure.ts"
import { LastAdministrator } from "../../domain/role/RoleRefusal.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { accountsByCookie, membersWith } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

const TakenBack = HttpApiSchema.NoContent.annotate({ description: "The account is not erased" })

export class ErasuresApi extends HttpApiGroup.make("erasures")
  .add(
    HttpApiEndpoint.post("request", "/", {
      payload: AskedErasure,
      success: Erasure,
      error: [
        SignInNotRecent,
        PasswordNotSet,
        PasswordWrong,
        TooManyAttempts,
        AuthenticationBusy,
        LastAdministrator,
        ErasureBegun
      ]
    }).pipe(
      operation({
        id: "AccountErasureRequest",
        cost: "hashing",
        summary: "Ask for the erasure of your account",
        description:
          "In seven days everything that is known of you is erased. Until then you can sign in and do everything as before, and take the request back. You are told by mail, at the addresses that you have confirmed, and by a notification. Asked for again, the account is erased when it was to be, and keeps posts as it is said last.",
        access: accountsByCookie
      })
    ),
    HttpApiEndpoint.get("get", "/", { success: Erasure, error: ErasureNotFound }).pipe(
      operation({
        id: "AccountErasureGet",
        cost: "quick",
        summary: "See when your account will be erased",
        description: "Not found, unless you have asked for it, or an administrator has ordered it.",
        access: accountsByCookie
      })
    ),
    HttpApiEndpoint.delete("cancel", "/", {
      success: TakenBack,
      error: [ErasureNotFound, ErasureBegun]
    }).pipe(
      operation({
        id: "AccountErasureCancel",
        cost: "write",
        summary: "Keep your account",
        description: "Takes back that it is to be erased, also where an administrator has ordered it.",
        access: accountsByCookie
      })
    )
  )
  .prefix("/accounts/self/erasure")
  .annotateMerge(
    OpenApi.annotations({
      title: "erasure of your account",
      description: "Having everything erased that is known of you"
    })
  ) {}

const params = { account_id: AccountId.annotateKey({ description: "The id of the account" }) }

export class AdminErasuresApi extends HttpApiGroup.make("adminErasures")
  .add(
    HttpApiEndpoint.post("order", "/", {
      params,
      payload: OrderedErasure,
      success: Erasure,
      error: [AccountNotFound, ErasureOfSelf, LastAdministrator, ErasureBegun]
    }).pipe(
      operation({
        id: "AdminAccountErasureOrder",
        cost: "write",
        summary: "Have an account erased",
        description:
          "As if its owner had asked for it: in seven days, in which its owner and administrators can take it back, or at once. Its owner is told by mail and by a notification. Ordered again, it is erased when it was to be, or earlier.",
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.get("get", "/", { params, success: Erasure, error: ErasureNotFound }).pipe(
      operation({
        id: "AdminAccountErasureGet",
        cost: "quick",
        summary: "See when an account will be erased",
        description: "Not found, if it is not to be erased, or nothing is left of it.",
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.delete("cancel", "/", {
      params,
      success: TakenBack,
      error: [ErasureNotFound, ErasureBegun]
    }).pipe(
      operation({
        id: "AdminAccountErasureCancel",
        cost: "write",
        summary: "Keep an account",
        description: "Takes back that it is to be erased, whoever asked for it.",
        access: membersWith("ADMINISTRATOR")
      })
    )
  )
  .prefix("/admin/accounts/:account_id/erasure")
  .annotateMerge(
    OpenApi.annotations({
      title: "erasure of accounts",
      description: "What administrators do so that everything is erased that is known of somebody"
    })
  ) {}
