import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** What every page needs at first, as one piece; what comes later (fields to fill in, too) keeps its own. */
const FIRST = /node_modules(?!.*(bindings.(input|size)|svelte-element))|preload-helper|protocol.js.src.\w+\.ts|contract|src.lib.\w+(\.svelte)?\.ts|\b(Bar|Costs|Pips?|Ring|Sheet|Stack|Toast|Token|Acts|Defence|Prompt)\.svelte|player.(options|parts|settings|missed)/

export default defineConfig({
  // Relative, so that the page works below any path that a reverse proxy puts before it.
  base: './',
  plugins: [svelte()],
  // The SDK's source itself: no step of its own before this build.
  resolve: { alias: { '@overseer-vtt/sdk': here('../../protocol/js/src/index.ts') } },
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Else the first piece would fetch what it leaves out, for what that might do when it is fetched: nothing.
      treeshake: { moduleSideEffects: [{ test: /svelte.src.internal.client.dom/, sideEffects: false }] },
      output: {
        codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: 'shared', minShareCount: 2, test: FIRST }] },
      },
    },
  },
  // `npm run dev` shows changes at once and takes the table from a server that runs beside it.
  server: { proxy: { '/ws': { target: 'ws://127.0.0.1:7777', ws: true } } },
  test: { include: ['src/**/*.test.ts'] },
})
