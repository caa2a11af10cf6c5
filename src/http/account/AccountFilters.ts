import { Schema } from "effect"
import { filterMax } from "../../domain/account/AccountListing.ts"
import * as Text from "../../domain/field/Text.ts"
import { RoleId } from "../../domain/shared/Id.ts"
import { timeRangeQuery } from "../../domain/shared/TimeRange.ts"

/** The query parameters that narrow lists of accounts and of profiles to what fulfils all that are given. */
export const accountFilters = {
  roles: Schema.optionalKey(
    Schema.Array(RoleId)
      .check(Schema.isMaxLength(filterMax))
      .annotate({ description: "Role ids: accounts that hold all of them" })
  ),
  joined: Schema.optionalKey(timeRangeQuery("When the account was created.")),
  invited_by: Schema.optionalKey(
    Schema.Array(Text.term({ max: 255, description: "The handle of an account" }))
      .check(Schema.isMaxLength(filterMax))
      .annotate({ description: "Handles: accounts that any of them invited" })
  )
}
