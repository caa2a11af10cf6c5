import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountNotFound } from "../../domain/account/Account.ts"
import { selectedMax } from "../../domain/account/AccountListing.ts"
import * as Text from "../../domain/field/Text.ts"
import {
  ProfileFollowersResult,
  ProfileFollowingResult,
  ProfileListResult,
  ProfileSearchText,
  PublicProfile,
  SelfFollow
} from "../../domain/profile/PublicProfile.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { SearchTookTooLong } from "../../domain/text/TextProblem.ts"
import { accountFilters } from "../account/AccountFilters.ts"
import { accounts, everyone, readersWith } from "../contract/AccessPolicies.ts"
import { conditional, conditionalHeaders } from "../contract/Conditional.ts"
import { Done } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const params = { account_handle: Text.mark({ description: "The handle or the id of the account" }) }

export class ProfilesApi extends HttpApiGroup.make("profiles")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...pagedQuery,
        q: Schema.optionalKey(ProfileSearchText),
        sort: Schema.optionalKey(
          Text.term({
            max: 255,
            description:
              "`created_at`, `name` or `handle`, in descending order with `-` before it. Anything else means the newest first. Of accounts of one instant or one name, the newest is first.",
            examples: ["-created_at"]
          })
        ),
        ...accountFilters
      },
      success: ProfileListResult,
      error: [SearchTookTooLong, CursorMismatch]
    }).pipe(
      operation({
        id: "ProfileList",
        cost: "quick",
        heavyWith: ["q", "roles", "invited_by"],
        summary: "List the profiles",
        description: `All accounts, suspended ones and bots included; 50 on a page. What narrows the list is combined. Of accounts that \`q\`, \`roles\` or \`invited_by\` select, the first ${selectedMax.toLocaleString("en")} are counted and shown.`,
        access: readersWith("LIST_PROFILES"),
        tools: [{ name: "member_search", title: "Search members" }]
      })
    ),
    HttpApiEndpoint.get("get", "/:account_handle", {
      params,
      headers: conditionalHeaders,
      success: conditional(PublicProfile),
      error: AccountNotFound
    }).pipe(
      operation({
        id: "ProfileGet",
        cost: "quick",
        summary: "Read a profile",
        description: "An account as everyone sees it. Handles that it had before do not lead to it.",
        access: readersWith("READ_PROFILE")
      })
    ),
    HttpApiEndpoint.get("followers", "/:account_handle/followers", {
      params,
      query: pagedQuery,
      success: ProfileFollowersResult,
      error: [AccountNotFound, CursorMismatch]
    }).pipe(
      operation({
        id: "ProfileFollowersGet",
        cost: "quick",
        summary: "List the followers of an account",
        description: "Who followed last is first; 50 on a page.",
        access: everyone
      })
    ),
    HttpApiEndpoint.put("follow", "/:account_handle/followers", {
      params,
      success: Done,
      error: [AccountNotFound, SelfFollow]
    }).pipe(
      operation({
        id: "ProfileFollowersAdd",
        cost: "write",
        summary: "Follow an account",
        description:
          "Nothing changes if the caller follows it already. The account is notified, once as long as it keeps the notification.",
        access: accounts
      })
    ),
    HttpApiEndpoint.delete("unfollow", "/:account_handle/followers", {
      params,
      success: Done,
      error: AccountNotFound
    }).pipe(
      operation({
        id: "ProfileFollowersRemove",
        cost: "write",
        summary: "Follow an account no longer",
        description: "Nothing changes if the caller does not follow it.",
        access: accounts
      })
    ),
    HttpApiEndpoint.get("following", "/:account_handle/following", {
      params,
      query: pagedQuery,
      success: ProfileFollowingResult,
      error: [AccountNotFound, CursorMismatch]
    }).pipe(
      operation({
        id: "ProfileFollowingGet",
        cost: "quick",
        summary: "List whom an account follows",
        description: "Whom it followed last is first; 50 on a page.",
        access: everyone
      })
    )
  )
  .prefix("/profiles")
  .annotateMerge(
    OpenApi.annotations({
      title: "profiles",
      description: "Accounts as everyone sees them, and who follows whom"
    })
  ) {}
