/** The bot that a plugin acts as: what it is called, and what it may do. Pure. */
import { Result, Schema } from "effect"
import { Permission } from "../shared/Permission.ts"

const handleMax = 30

/** How many characters of an id make a handle that of one installation. */
const suffixLength = 4

const isPermission = Schema.is(Permission)

/** The handle that a manifest asks for, with the end of the id of its installation. */
export const botHandle = (asked: string, installation: string): string => {
  const words = asked
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+|[-_]+$/g, "")
  const suffix = `-${installation.slice(-suffixLength)}`
  const base = words.slice(0, handleMax - suffix.length).replace(/[-_]+$/, "")
  return `${base === "" ? "plugin" : base}${suffix}`
}

/** The name of the role of a bot, which tells whose it is. */
export const botRoleName = (name: string, handle: string): string => {
  const tail = ` (Bot ${handle.replace(/[^a-z0-9]/gi, "").slice(-suffixLength)})`
  return `${Array.from(name)
    .slice(0, 100 - tail.length)
    .join("")
    .trimEnd()}${tail}`
}

/** The permissions with these names, or the first name that no permission has. */
export const permissionsNamed = (
  names: ReadonlyArray<string>
): Result.Result<ReadonlyArray<Permission>, string> => {
  const unknown = names.find((name) => !isPermission(name))
  return unknown === undefined
    ? Result.succeed([...new Set(names.filter(isPermission))])
    : Result.fail(unknown)
}
