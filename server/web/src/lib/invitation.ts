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
  return kept === null ? null : linkOf(kept)
}

/** What is given to somebody for a seat here. */
export const linkOf = (token: string): string => `${location.origin}${location.pathname}#${token}`

/** This page goes on by another invitation to its seat. */
export function keepInvitation(link: string): void {
  sessionStorage.setItem(KEPT, link.slice(link.indexOf('#') + 1))
}

/** This tab's seat is given up. */
export function dropInvitation(): void {
  sessionStorage.removeItem(KEPT)
}
