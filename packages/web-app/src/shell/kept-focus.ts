/** Parts of a screen that screen readers announce by name when they get the focus. */
const named = 'section, aside, nav, form, fieldset, ul, ol, [role="dialog"], main';
const controls = ':is(a[href], button, input, select, textarea):not(:disabled)';

/**
 * Keeps the focus near a control that disappears when it is pressed. Browsers move the focus to the body then: screen
 * readers say nothing, and the user does not know where the next press of Tab leads. The focus moves to what replaces
 * the control, or to the part of the screen that contained it. Layers are left out: they return the focus themselves.
 */
export function keepFocus(): void {
  let focused: Element | undefined;
  document.addEventListener('focusin', ({ target }) => {
    focused = target instanceof Element ? target : undefined;
  });
  document.addEventListener('focusout', () => {
    // The user has left the element, which is still there.
    queueMicrotask(() => {
      if (focused?.isConnected && document.activeElement === document.body) focused = undefined;
    });
  });
  new MutationObserver(changes => {
    if (!focused || focused.isConnected || document.activeElement !== document.body) return;
    const gone = focused;
    const change = changes.findLast(({ removedNodes }) =>
      [...removedNodes].some(node => node.contains(gone)),
    );
    focused = undefined;
    if (change) heirOf(change)?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}

/** Returns what gets the focus of a removed element. */
function heirOf({ target, previousSibling, nextSibling }: MutationRecord): HTMLElement | undefined {
  // The layers are children of the body.
  if (!(target instanceof Element) || target === document.body) return undefined;
  if (target.matches('ul, ol')) {
    const control = [nextSibling, previousSibling].map(controlOf).find(each => each !== undefined);
    if (control) return control;
  }
  const replacement = previousSibling ? previousSibling.nextSibling : target.firstChild;
  const isNamed = replacement !== nextSibling && replacement instanceof Element && replacement.matches(named);
  const part = isNamed ? replacement : target.closest(named);
  const heir = part?.matches('main') ? part.querySelector('h1') : part;
  if (!(heir instanceof HTMLElement)) return undefined;
  if (!heir.hasAttribute('tabindex')) heir.tabIndex = -1;
  return heir;
}

function controlOf(item: Node | null): HTMLElement | undefined {
  return (item instanceof Element && item.querySelector<HTMLElement>(controls)) || undefined;
}
