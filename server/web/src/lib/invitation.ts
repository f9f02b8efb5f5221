// How this page gets its seat: the invitation is its own address, and the secret in it stays nowhere it could be seen.

const KEPT = 'overseer.token'

/** The invitation in the address line, or that of this tab's last visit; null where there is none. */
export function takeInvitation(): string | null {
  const token = location.hash.slice(1)
  if (token !== '') {
    sessionStorage.setItem(KEPT, token)
    history.replaceState(null, '', location.pathname + location.search)
  }
  const kept = sessionStorage.getItem(KEPT)
  return kept === null ? null : `${location.origin}${location.pathname}#${kept}`
}

/** This tab's seat is given up. */
export function dropInvitation(): void {
  sessionStorage.removeItem(KEPT)
}
