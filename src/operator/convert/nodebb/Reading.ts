/** Reads a dump of the database of NodeBB, and the directory of its uploads. */
import { bytesOfFile, peeked, refuse, unpacked } from "../shared/Bytes.ts"
import type { Reading } from "../shared/Conversion.ts"
import { webAddress } from "../shared/Fields.ts"
import { isMongoDump, peekedOfMongo } from "../shared/MongoDump.ts"
import { prepareNodebb } from "./Preparing.ts"
import { readMongo } from "./ReadingMongo.ts"
import { readPostgres } from "./ReadingPostgres.ts"
import { tables } from "./Tables.ts"
import { checkUploads, readUploads } from "./Uploads.ts"

export const readNodebb = async (reading: Reading) => {
  const { options, scratch, source, told } = reading
  if (options.uploads !== undefined) await checkUploads(options.uploads)
  if (options.address !== undefined && webAddress(options.address) === undefined)
    throw refuse(`${options.address} is no address of the web.`)
  scratch.makeTables(tables)
  const { all, beginning } = await peeked(unpacked("The dump", bytesOfFile(source, told)), peekedOfMongo)
  await (isMongoDump(beginning) ? readMongo(reading, all) : readPostgres(reading, beginning, all))
  prepareNodebb(scratch, options)
  if (options.uploads !== undefined) await readUploads(reading, options.uploads)
}
