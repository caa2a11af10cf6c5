/** Forward-only migrations, run at start. Several instances may start at once: one migrates, the others wait. */
import { Data, Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import accounts from "../migrations/0001_accounts.ts"
import events from "../migrations/0002_events.ts"
import discussion from "../migrations/0003_discussion.ts"
import notifications from "../migrations/0004_notifications.ts"
import replyOrdinals from "../migrations/0005_reply_ordinals.ts"
import readSide from "../migrations/0006_read_side.ts"
import eventDelivery from "../migrations/0007_event_delivery.ts"
import byAccount from "../migrations/0008_by_account.ts"
import threadTags from "../migrations/0009_thread_tags.ts"
import handleKeys from "../migrations/0010_handle_keys.ts"
import linkUrls from "../migrations/0011_link_urls.ts"
import threads from "../migrations/0012_threads.ts"
import notificationPages from "../migrations/0013_notifications.ts"
import passwordAttempts from "../migrations/0014_password_attempts.ts"
import categories from "../migrations/0015_categories.ts"
import moderation from "../migrations/0016_moderation.ts"
import assets from "../migrations/0017_assets.ts"
import links from "../migrations/0018_links.ts"
import reactions from "../migrations/0019_reactions.ts"
import tags from "../migrations/0020_tags.ts"
import collections from "../migrations/0021_collections.ts"
import profiles from "../migrations/0022_profiles.ts"
import calendar from "../migrations/0023_calendar.ts"
import search from "../migrations/0024_search.ts"
import categoryCovers from "../migrations/0025_category_covers.ts"
import library from "../migrations/0026_library.ts"
import libraryTree from "../migrations/0027_library_tree.ts"
import libraryReads from "../migrations/0028_library_reads.ts"
import properties from "../migrations/0029_properties.ts"
import rolesAndAccessKeys from "../migrations/0030_roles_and_access_keys.ts"
import libraryElsewhere from "../migrations/0031_library_elsewhere.ts"
import nodeVersions from "../migrations/0032_node_versions.ts"
import generalSettings from "../migrations/0033_general_settings.ts"
import invitations from "../migrations/0034_invitations.ts"
import staff from "../migrations/0035_moderation.ts"
import reports from "../migrations/0036_reports.ts"
import uploadTotals from "../migrations/0037_upload_totals.ts"
import calendarTotals from "../migrations/0038_calendar_totals.ts"
import searchWrites from "../migrations/0039_search_writes.ts"
import accountEmails from "../migrations/0040_account_emails.ts"
import mail from "../migrations/0041_mail.ts"
import emailSignIn from "../migrations/0042_email_sign_in.ts"
import passkeys from "../migrations/0043_passkeys.ts"
import warnings from "../migrations/0044_warnings_and_purges.ts"
import appearance from "../migrations/0045_appearance.ts"
import requestSettings from "../migrations/0046_request_settings.ts"
import accountLists from "../migrations/0047_account_lists.ts"
import operator from "../migrations/0048_operator.ts"
import nodeLinks from "../migrations/0049_node_links.ts"
import notificationReceivers from "../migrations/0050_notification_receivers.ts"
import linkPictures from "../migrations/0051_link_pictures.ts"
import lists from "../migrations/0052_lists.ts"
import sessionsBound from "../migrations/0053_sessions_bound.ts"
import accountDays from "../migrations/0054_account_days.ts"
import propertyOwners from "../migrations/0055_property_owners.ts"
import largeRows from "../migrations/0056_large_rows.ts"
import activity from "../migrations/0057_activity.ts"
import publicLinks from "../migrations/0058_public_links.ts"
import passkeyUserHandles from "../migrations/0059_passkey_user_handles.ts"
import audit from "../migrations/0060_audit.ts"
import uploadSums from "../migrations/0062_upload_sums.ts"
import codeRequests from "../migrations/0064_code_requests.ts"
import shownVersions from "../migrations/0067_shown_versions.ts"
import auditedFields from "../migrations/0075_audited_fields.ts"
import toldReplies from "../migrations/0077_told_replies.ts"
import accountAuthority from "../migrations/0079_account_authority.ts"
import repeatedReports from "../migrations/0080_repeated_reports.ts"
import untitledDrafts from "../migrations/0097_untitled_drafts.ts"
import reservedSlugs from "../migrations/0098_reserved_slugs.ts"
import largeListRows from "../migrations/0099_large_list_rows.ts"
import { rootMessageOf } from "./rootMessageOf.ts"

// Any number that no other program on the same database is likely to lock.
const advisoryLock = 7_316_202_611

const migrations = {
  table: "migrations",
  loader: Migrator.fromRecord({
    "0001_accounts": accounts,
    "0002_events": events,
    "0003_discussion": discussion,
    "0004_notifications": notifications,
    "0005_reply_ordinals": replyOrdinals,
    "0006_read_side": readSide,
    "0007_event_delivery": eventDelivery,
    "0008_by_account": byAccount,
    "0009_thread_tags": threadTags,
    "0010_handle_keys": handleKeys,
    "0011_link_urls": linkUrls,
    "0012_threads": threads,
    "0013_notifications": notificationPages,
    "0014_password_attempts": passwordAttempts,
    "0015_categories": categories,
    "0016_moderation": moderation,
    "0017_assets": assets,
    "0018_links": links,
    "0019_reactions": reactions,
    "0020_tags": tags,
    "0021_collections": collections,
    "0022_profiles": profiles,
    "0023_calendar": calendar,
    "0024_search": search,
    "0025_category_covers": categoryCovers,
    "0026_library": library,
    "0027_library_tree": libraryTree,
    "0028_library_reads": libraryReads,
    "0029_properties": properties,
    "0030_roles_and_access_keys": rolesAndAccessKeys,
    "0031_library_elsewhere": libraryElsewhere,
    "0032_node_versions": nodeVersions,
    "0033_general_settings": generalSettings,
    "0034_invitations": invitations,
    "0035_moderation": staff,
    "0036_reports": reports,
    "0037_upload_totals": uploadTotals,
    "0038_calendar_totals": calendarTotals,
    "0039_search_writes": searchWrites,
    "0040_account_emails": accountEmails,
    "0041_mail": mail,
    "0042_email_sign_in": emailSignIn,
    "0043_passkeys": passkeys,
    "0044_warnings_and_purges": warnings,
    "0045_appearance": appearance,
    "0046_request_settings": requestSettings,
    "0047_account_lists": accountLists,
    "0048_operator": operator,
    "0049_node_links": nodeLinks,
    "0050_notification_receivers": notificationReceivers,
    "0051_link_pictures": linkPictures,
    "0052_lists": lists,
    "0053_sessions_bound": sessionsBound,
    "0054_account_days": accountDays,
    "0055_property_owners": propertyOwners,
    "0056_large_rows": largeRows,
    "0057_activity": activity,
    "0058_public_links": publicLinks,
    "0059_passkey_user_handles": passkeyUserHandles,
    "0060_audit": audit,
    "0062_upload_sums": uploadSums,
    "0064_code_requests": codeRequests,
    "0067_shown_versions": shownVersions,
    "0075_audited_fields": auditedFields,
    "0077_told_replies": toldReplies,
    "0079_account_authority": accountAuthority,
    "0080_repeated_reports": repeatedReports,
    "0097_untitled_drafts": untitledDrafts,
    "0098_reserved_slugs": reservedSlugs,
    "0099_large_list_rows": largeListRows
  })
}

/** A migration that cannot be run on this database. The message is one line. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly message: string
  readonly cause: unknown
}> {}

const failed = (error: Migrator.MigrationError) =>
  new MigrationFailed({
    message: `${error.message.split("\n", 1)[0]}: ${rootMessageOf(error.cause)}. The database is as it was: go on with the release that it was used with, and report this line.`,
    cause: error
  })

/** Brings the database to the schema after these migrations, or fails and leaves it as it was. */
export const migrateBy = Effect.fnUntraced(function* (loader: typeof migrations.loader) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // Changing a large table takes longer than any request may, and so does waiting for the instance that changes it.
      yield* sql`set local statement_timeout = 0`
      yield* sql`set local lock_timeout = 0`
      yield* sql`select pg_advisory_xact_lock(${advisoryLock})`
      // A table whose deferred triggers have not run yet cannot be altered.
      yield* sql`set constraints all immediate`
      yield* Migrator.make({})({ ...migrations, loader }).pipe(
        Effect.catchTag("MigrationError", (error) => Effect.fail(failed(error)))
      )
    })
  )
})

/** Brings the database to the newest schema, or fails and leaves it as it was. */
export const migrate = migrateBy(migrations.loader)

/** All migrations, oldest first. */
export const allMigrations = migrations.loader

/** Which migrations a database has, which it still needs, and which it has that this release does not know. */
export const migrationState = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const known = yield* migrations.loader
  const [found] = yield* sql<{ readonly exists: boolean }>`
    select to_regclass(${migrations.table}) is not null as exists`
  const rows =
    found?.exists === true
      ? yield* sql<{ readonly id: number; readonly name: string }>`
          select migration_id as id, name from ${sql(migrations.table)} order by migration_id`
      : []
  const newest = { known: Math.max(...known.map(([id]) => id)), applied: rows.at(-1)?.id ?? 0 }
  return {
    applied: rows.map(({ name }) => name),
    pending: known.filter(([id]) => id > newest.applied).map(([, name]) => name),
    unknown: rows.filter(({ id }) => id > newest.known).map(({ name }) => name)
  } as const
})
