/** Converts a dump of the database of NodeBB. */
import { preparedRecords } from "../records/Records.ts"
import type { Program } from "../shared/Conversion.ts"
import { cutTo, someText, webAddress } from "../shared/Fields.ts"
import { makeTexts } from "../shared/Texts.ts"
import { addressesOf, prefixOf } from "./Addresses.ts"
import { passwords } from "./Passwords.ts"
import { readNodebb } from "./Reading.ts"
import { settleRedirects } from "./Redirects.ts"

export const nodebb: Program = {
  name: "nodebb",
  read: readNodebb,
  convert: (scratch, options) => {
    const address = webAddress(options.address)
    scratch.inTransaction(() => settleRedirects(scratch, prefixOf(address)))
    const title = someText(
      scratch.find("select cast(data ->> '$.title' as text) as title from legacy_hash where kind = 'config'")
        ?.title
    )
    const texts = makeTexts(scratch, "users", addressesOf(scratch, address))
    return {
      title: cutTo(title ?? "NodeBB", 255),
      address,
      records: { ...preparedRecords(scratch, texts), passwords: () => passwords(scratch) }
    }
  }
}
