/** The small pages of the service, for people who open an address of it in a browser. No script, nothing loaded from elsewhere. */

export const escape = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

const style = `:root{color-scheme:light dark;font:17px/1.6 system-ui,sans-serif}
body{max-width:42rem;margin:3rem auto;padding:0 1.25rem}
h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0 1.25rem}
dt{opacity:.7}dd{margin:0 0 .75rem}
code{font-family:ui-monospace,monospace;font-size:.92em}
img{border-radius:.5rem}
table{border-collapse:collapse}td,th{text-align:left;padding:.25rem 1rem .25rem 0;vertical-align:top}`

export const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`

/** The content security policy of the pages. */
export const policy = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"
