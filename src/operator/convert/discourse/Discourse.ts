/** Converts a backup of Discourse. */
import { preparedRecords } from "../records/Records.ts"
import type { Program } from "../shared/Conversion.ts"
import { cutTo, someText } from "../shared/Fields.ts"
import { makeTexts } from "../shared/Texts.ts"
import { addressesOf } from "./Addresses.ts"
import { passwords } from "./Passwords.ts"
import { prepareDiscourse } from "./Preparing.ts"
import { readBackup } from "./Reading.ts"
import { settleRedirects } from "./Redirects.ts"

export const discourse: Program = {
  name: "discourse",
  read: readBackup,
  convert: (scratch, { withRestricted }) => {
    prepareDiscourse(scratch, withRestricted)
    scratch.inTransaction(() => settleRedirects(scratch))
    const address = someText(scratch.find("select value from backup_metadata where name = 'base_url'")?.value)
    const title = someText(scratch.find("select value from site_settings where name = 'title'")?.value)
    const texts = makeTexts(scratch, "users", addressesOf(scratch, address))
    return {
      title: cutTo(title ?? "Discourse", 255),
      address,
      records: { ...preparedRecords(scratch, texts), passwords: () => passwords(scratch) }
    }
  }
}
