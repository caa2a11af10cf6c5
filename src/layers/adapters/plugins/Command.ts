/** Finds the program that a plugin names, as the system will. */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, isAbsolute, join, resolve } from "node:path"

const stateOf = (path: string): "program" | "missing" | "directory" | "closed" => {
  try {
    if (!statSync(path).isFile()) return "directory"
    accessSync(path, constants.X_OK)
    return "program"
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EACCES" ? "closed" : "missing"
  }
}

const complaints = {
  missing: "no such file",
  directory: "is no file",
  closed: "may not be executed"
}

/** The file of a program that is looked for in these directories. */
export const findInPath = (name: string, path: string): string | undefined =>
  path
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, name))
    .find((file) => stateOf(file) === "program")

/** What is wrong with the command of a plugin; nothing, if it can be run. Some names are there in any case. */
export const complaintOf = (
  command: string,
  directory: string,
  path: string,
  names: ReadonlyArray<string>
): string | undefined => {
  if (command === "" || command.includes("\0")) return "The manifest names no command"
  if (command.includes("/")) {
    const state = stateOf(resolve(directory, command))
    return state === "program" ? undefined : `${command}: ${complaints[state]}`
  }
  if (names.includes(command) || findInPath(command, path) !== undefined) return undefined
  return `${command}: not found in ${path}`
}
