const id = "dc0qdt7khh6uivg00060"
const scriptId = "dc0qdt7khh6uivg0006g"

export const themeChange = { stylesheets: [id], scripts: [scriptId] }

/** A theme of two files, each of one line: `body { accent-color: #123a52; }` and `console.info("harbour")`. */
export const theme = {
  stylesheets: [
    {
      id,
      filename: "harbour.css",
      path: `/api/assets/${id}-harbour-css`,
      mime_type: "text/css",
      size: 32,
      integrity: "sha384-8nGL7FEBgy/hhffFxFs7FJOWFwF1GhMcdk6zdx5i6DraAfoONn5QAlCbP3ypZ3mC"
    }
  ],
  scripts: [
    {
      id: scriptId,
      filename: "harbour.js",
      path: `/api/assets/${scriptId}-harbour-js`,
      mime_type: "text/javascript",
      size: 24,
      integrity: "sha384-NboFjFDKi7A+HfE+Ui6tDbgLditd2/zbcn28L4Jgov+C/CsV/giajky9G20+ngrK"
    }
  ]
} as const
