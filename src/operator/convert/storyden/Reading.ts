/** Reads all of a service that an administrator may read. What was read stays, where it ends early. */
import { Option, Schema } from "effect"
import { refuse } from "../shared/Bytes.ts"
import { makeWanting, readAvatars, readFiles } from "./Assets.ts"
import { readDiscussions } from "./ReadingDiscussions.ts"
import { readLibrary } from "./ReadingLibrary.ts"
import { readAccounts, readCategories, readLinks, readRoles, readTags } from "./ReadingPlaces.ts"
import { NotAnswered, type Service } from "./Service.ts"
import { Info, Own } from "./Shapes.ts"
import type { Walk } from "./Walking.ts"

const decodeInfo = Schema.decodeUnknownOption(Info)
const decodeOwn = Schema.decodeUnknownOption(Own)

/** What a path answers; nothing, if it is not there. */
const ask = async (service: Service, path: string) => {
  try {
    return await service.json(path)
  } catch (error) {
    if (error instanceof NotAnswered) return undefined
    throw error
  }
}

/** Reads which service it is, and that the key is one of an administrator. */
const readInstance = async ({ entering, service, things }: Walk) => {
  entering("the service")
  const info = decodeInfo(await ask(service, "/api/info"))
  if (Option.isNone(info))
    throw refuse(`${service.address} is no such service: /api/info says nothing of it.`)
  const own = decodeOwn(await ask(service, "/api/accounts"))
  if (Option.isNone(own)) throw refuse("The service does not say whose the key is.")
  const { admin, handle } = own.value
  if (!admin)
    throw refuse(`The key is one of ${handle}, who is no administrator. Others may not read all of it.`)
  things.keep("info", "info", info.value)
  const { api_address, web_address } = info.value
  const bases = [service.address, api_address, web_address].flatMap((base) =>
    typeof base === "string" ? [base.replace(/\/+$/, "")] : []
  )
  return { handle, bases }
}

export const readService = async (walk: Walk) => {
  const { bases, handle } = await readInstance(walk)
  const wanting = makeWanting(walk, bases)
  await readRoles(walk)
  await readTags(walk)
  await readAccounts(walk, wanting)
  await readCategories(walk, wanting)
  await readLinks(walk, wanting)
  await readLibrary(walk, wanting)
  await readDiscussions(walk, wanting, handle)
  await readFiles(walk)
  await readAvatars(walk)
}
