import { vitePreprocess } from '@sveltejs/vite-plugin-svelte'

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    // Nothing of Svelte 4 is brought along.
    runes: true,
    // Short, and still of one component alone: the hash stands in every template.
    cssHash: ({ hash, filename, css }) => `s${hash(filename === '(unknown)' ? css : filename).slice(0, 4)}`,
  },
}
