/** What is left of a path from the first of these folders on: the program may have moved what is above them. */
export const tailOf = (path: string): string => /(?:^|\/)((?:original|files)\/.+)$/.exec(path)?.[1] ?? path
