"""Local search: change one node at a time, then kick a few and repair around them."""

from __future__ import annotations

from ..jit import compiled


@compiled
def improve(network, labels, total):
    """Local search: change one node at a time to its best label, until nothing changes; returns the changes made."""
    changes, changed = 0, True
    while changed:
        changed = False
        for v in range(network.labels.size):
            count = network.labels[v]
            beside(network, v, labels, total)
            best = labels[v]
            for k in range(count):
                if total[k] > total[best]:
                    best = k
            if total[best] > total[labels[v]] + 1e-12 * (abs(total[best]) + 1.0):
                labels[v] = best
                changed = True
                changes += 1
    return changes


@compiled
def wander(network, labels, dice, queue, waiting, log, total):
    """Local search that goes on: kick up to three linked nodes, repair around them, keep what is no worse.

    A row of ``dice`` is one kick; ``queue`` and ``waiting`` hold the nodes to look at, ``log`` what to take back.
    """
    n = labels.size
    for d in range(dice.shape[0]):
        first, last, logged, change = 0, 0, 0, 0.0
        v = dice[d, 0] % n
        for s in range(1 + dice[d, 1] % 3):
            k = dice[d, 2 + s] % network.labels[v]
            if k != labels[v]:
                beside(network, v, labels, total)
                change += total[k] - total[labels[v]]
                log[logged, 0], log[logged, 1] = v, labels[v]
                logged += 1
                labels[v] = k
                last = alert(network, v, queue, waiting, last)
            degree = network.start[v + 1] - network.start[v]
            if degree == 0:
                break
            e = network.arc[network.start[v] + dice[d, 5 + s] % degree]
            v = network.head[e] if network.tail[e] == v else network.tail[e]
        while first != last and logged < log.shape[0]:
            v = queue[first]
            first = (first + 1) % queue.size
            waiting[v] = False
            beside(network, v, labels, total)
            best = labels[v]
            for k in range(network.labels[v]):
                if total[k] > total[best]:
                    best = k
            if total[best] > total[labels[v]] + 1e-12 * (abs(total[best]) + 1.0):
                change += total[best] - total[labels[v]]
                log[logged, 0], log[logged, 1] = v, labels[v]
                logged += 1
                labels[v] = best
                last = alert(network, v, queue, waiting, last)
        while first != last:
            waiting[queue[first]] = False
            first = (first + 1) % queue.size
        if change < 0.0:
            for t in range(logged - 1, -1, -1):
                labels[log[t, 0]] = log[t, 1]


@compiled
def alert(network, v, queue, waiting, last):
    """Put the neighbours of v into the queue, then v itself; returns where the queue ends."""
    for a in range(network.start[v], network.start[v + 1] + 1):
        j = v
        if a < network.start[v + 1]:
            e = network.arc[a]
            j = network.head[e] if network.tail[e] == v else network.tail[e]
        if not waiting[j]:
            waiting[j] = True
            queue[last] = j
            last = (last + 1) % queue.size
    return last


@compiled
def beside(network, v, labels, total):
    """What each label of v adds to the value, all other labels being kept."""
    count = network.labels[v]
    for k in range(count):
        total[k] = network.unary[network.node[v] + k]
    for a in range(network.start[v], network.start[v + 1]):
        e = network.arc[a]
        if network.head[e] == v:
            row = network.table[e] + labels[network.tail[e]] * count
            for k in range(count):
                total[k] += network.pairwise[row + k]
        else:
            columns = network.labels[network.head[e]]
            column = network.table[e] + labels[network.head[e]]
            for k in range(count):
                total[k] += network.pairwise[column + k * columns]


@compiled
def score(network, labels):
    """The value of a labelling, summed in order: quick, for comparing."""
    total = network.constant
    for v in range(network.labels.size):
        total += network.unary[network.node[v] + labels[v]]
    for e in range(network.tail.size):
        columns = network.labels[network.head[e]]
        total += network.pairwise[network.table[e] + labels[network.tail[e]] * columns + labels[network.head[e]]]
    return total
