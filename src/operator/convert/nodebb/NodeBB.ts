/** Converts a dump of the database of NodeBB. */
import { likes, replies, threads } from "../records/Discussion.ts"
import { accounts, roles } from "../records/People.ts"
import { assets, categories, tags } from "../records/Places.ts"
import type { Program } from "../shared/Conversion.ts"
import { cutTo, someText, webAddress } from "../shared/Fields.ts"
import { redirects } from "../shared/Redirects.ts"
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
      records: {
        roles: () => roles(scratch),
        tags: () => tags(scratch),
        accounts: () => accounts(scratch, texts),
        assets: () => assets(scratch),
        categories: () => categories(scratch),
        threads: () => threads(scratch, texts),
        replies: () => replies(scratch, texts),
        likes: () => likes(scratch),
        passwords: () => passwords(scratch),
        redirects: () => redirects(scratch)
      }
    }
  }
}
