/** What the doctor finds, a line each. */

export interface Finding {
  readonly level: "ok" | "warn" | "fail"
  /** What was looked at. */
  readonly name: string
  readonly says: string
  /** What to do about it. */
  readonly todo?: string
}

export const ok = (name: string, says: string): Finding => ({ level: "ok", name, says })
export const warn = (name: string, says: string, todo: string): Finding => ({
  level: "warn",
  name,
  says,
  todo
})
export const fail = (name: string, says: string, todo: string): Finding => ({
  level: "fail",
  name,
  says,
  todo
})

const nameWidth = 12

export const lineOf = ({ level, name, says, todo }: Finding): string =>
  `${level.padEnd(5)} ${name.padEnd(nameWidth)} ${says}${todo === undefined ? "" : `\n${" ".repeat(nameWidth + 7)}${todo}`}`
