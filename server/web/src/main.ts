import { mount } from 'svelte'
import App from './App.svelte'
import { begin } from './lib/i18n.svelte'
import { takeInvitation } from './lib/invitation'
import { table } from './lib/table.svelte'
import './tokens.css'

await begin()
table.sit(takeInvitation())
// Another invitation pasted into the address line of an open page.
addEventListener('hashchange', () => table.sit(takeInvitation()))
// For whoever looks beneath, in the browser's own console: `overseer.state` is all that this seat sees.
Object.assign(globalThis, { overseer: table })
mount(App, { target: document.getElementById('app')! })
