/**
 * Does one thing in each turn of the event loop, in the order in which they come. Node hands over up to a thousand
 * messages of a port in one turn, those among them that come in the meantime. Where each takes its time, timers and
 * sockets would have no turn for as long as somebody asks.
 */
export function oneEachTurn<Item>(take: (item: Item) => void): (item: Item) => void {
  const waiting: Item[] = [];
  function takeFirst(): void {
    const [first] = waiting.splice(0, 1) as [Item];
    if (waiting.length > 0) {
      setImmediate(takeFirst);
    }
    take(first);
  }
  return item => {
    waiting.push(item);
    if (waiting.length === 1) {
      setImmediate(takeFirst);
    }
  };
}
