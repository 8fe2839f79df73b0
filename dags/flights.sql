SELECT carrier, tailnum, origin, time_hour, dep_time, dep_delay, arr_delay
FROM flights
WHERE time_hour >= %(period_start)s
  AND time_hour < %(period_end)s
  AND (%(carrier)s::text IS NULL OR carrier = %(carrier)s)
